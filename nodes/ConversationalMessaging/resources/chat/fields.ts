import type { INodeProperties } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';

export const reasonField = (placeholder: string, description: string): INodeProperties =>
	textField('Reason', 'reason', { placeholder, description });
