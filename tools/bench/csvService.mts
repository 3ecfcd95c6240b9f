/**
 * A service of two routes in a separate process, for files of 100 MB: it generates an export while sending it, and
 * discards an import. With the sandbox, its million contacts would be part of the measurement.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const ROWS = 1_000_000;

function* rows(): Generator<string> {
	yield 'id,name,customName,waId,igId,igUsername,createdAt\r\n';
	let piece = '';
	for (let n = 0; n < ROWS; n++) {
		piece += `cm0000000000${String(n).padStart(14, '0')},"Smith, Nathan ${n}",,1${String(n).padStart(10, '0')},,nathan.smith,2026-01-15T09:00:00.000Z\r\n`;
		if (piece.length < 65_536) continue;
		yield piece;
		piece = '';
	}
	yield piece;
}

const server = createServer((request, response) => {
	if (request.method === 'GET') {
		response.writeHead(200, {
			'content-type': 'text/csv',
			'content-disposition': 'attachment; filename="contacts.csv"',
		});
		void pipeline(Readable.from(rows()), response);
		return;
	}
	let bytes = 0;
	request.on('data', (chunk: Buffer) => (bytes += chunk.length));
	request.on('end', () => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ success: true, data: { id: 'job', status: 'queued', bytes } }));
	});
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
