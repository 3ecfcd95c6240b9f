import './environment.mts';
import 'reflect-metadata';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

/** From now on, files are stored on disk, as n8n does by default; before, they are part of the items. */
export async function storeFilesOnDisk(): Promise<BinaryDataService> {
	const service = Container.get(BinaryDataService);
	await service.init();
	return service;
}
