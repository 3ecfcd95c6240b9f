/** Beginnings of a token, which texts of a service may contain. */
const TOKEN = 'wa_pk_0123456789abcdefghijklmnop';

/** What lies between spaces here. */
const words = (text: string): string[] => text.split(' ');

/** Repeated until the text is long enough, and followed by what no pattern expects. */
export const REPEATED = [
	...words('< <a <a> <script <script> <title <title> <title></ </'),
	...words('( [ ((a () { {{ {{a {{a}} " "" "," “ “a” \' `'),
	...words('/ \\ \\" , ; - + . : = # *'),
	...words('a A aA é 0 0. 1: T T+ r= limit= 🙂 \u0301 \u0000'),
	...words(`wa_pk_ ${TOKEN} ${TOKEN.slice(0, 12)} filename*=' filename=" $(' $('a'). $input`),
	...['<a ', '<style ', '{{ ', ' ', '\t', '\n', ' \n', '\r', '; ', '1 ', 'Mon ', 'GMT ', 'a b '],
	...['error ', 'code ', 'filename= ', 'customer service window ', 'closed '],
];
