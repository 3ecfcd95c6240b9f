/** The sandbox reads one YAML file: the contract. Jest has parsed it: see yamlTransform.js. */
exports.parse = () => require('../../sandbox/openapi.yaml');
