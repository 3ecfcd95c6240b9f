import { fileNameIn } from '../../nodes/ConversationalMessaging/api/files.ts';
import {
	templateIn,
	templateKey,
} from '../../nodes/ConversationalMessaging/parameters/template.ts';

describe('the file name of a download', () => {
	test.each([
		['attachment; filename="contacts.csv"', 'contacts.csv'],
		['attachment; filename=contacts.csv', 'contacts.csv'],
		['attachment; filename="a \\"b\\".csv"', 'a "b".csv'],
		["attachment; filename=x.csv; filename*=UTF-8''kund%C3%A9.csv", 'kundé.csv'],
		["attachment; filename=x.csv; filename*=UTF-8''%E0%A4%A", 'x.csv'],
		['attachment; filename="../../etc/passwd"', 'passwd'],
		['attachment; filename="C:\\\\temp\\\\a.csv"', 'a.csv'],
		['attachment', undefined],
		[undefined, undefined],
	])('the file name is read from the header %j', (disposition, expected) => {
		expect(fileNameIn(disposition)).toBe(expected);
	});
});

test('the value of a template from the list contains ID, name and language', () => {
	const template = { id: '12', name: 'ticket_update', language: 'en_US' };
	expect(templateIn(templateKey(template))).toEqual(template);
	expect(templateIn('12')).toBeUndefined();
});
