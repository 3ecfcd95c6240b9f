/** Papa Parse (MIT), behind this file alone: the build bundles it into the file, as the package has no dependencies. */
export { Parser, unparse } from 'papaparse';
