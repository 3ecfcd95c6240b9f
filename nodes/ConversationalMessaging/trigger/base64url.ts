/** The characters of base64url (RFC 4648, section 5), by their values. */
export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const VALUES = new Map(Array.from(DIGITS, (char, value) => [char, value]));

/** The value of a character, from 0 to 63; undefined if it is none of base64url. */
export const digitValue = (char: string): number | undefined => VALUES.get(char);
