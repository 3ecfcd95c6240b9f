import type { Parameters } from '../../../parameters/parameters';
import { csvFromBinary } from '../../../runner/csvUpload';
import type { AudienceInput, FindAudience } from './audience';
import { csvFileAudience } from './csvFile';
import { csvItemsAudience, readRow } from './csvItems';
import { numbersAudience, readRecipients } from './numbers';
import { segmentAudience } from './segment';

/** The audience that the user chose. */
export interface ChosenAudience {
	findAudience: FindAudience;
	/** What this item contributes, if all items make one broadcast. */
	input?: AudienceInput;
}

/** @throws NodeOperationError for a parameter */
export function readAudience(parameters: Parameters): ChosenAudience {
	switch (parameters.requiredOption('audience')) {
		case 'segment':
			return { findAudience: segmentAudience(parameters.requiredId('segmentId')) };
		case 'list':
			return { findAudience: numbersAudience(readRecipients(parameters, 'recipients')) };
		case 'items': {
			const { itemIndex } = parameters;
			const input = { itemIndex, recipients: readRecipients(parameters, 'recipient') };
			return { findAudience: numbersAudience(), input };
		}
		case 'csv': {
			const field = parameters.required('binaryPropertyName');
			return { findAudience: csvFileAudience(csvFromBinary(parameters, field)) };
		}
		default: {
			const phoneColumn = parameters.required('phoneColumn');
			const input = readRow(parameters, phoneColumn);
			return { findAudience: csvItemsAudience(phoneColumn), input };
		}
	}
}
