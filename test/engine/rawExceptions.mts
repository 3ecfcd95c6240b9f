/** A raw exception of the engine, whose message does not help the user. */
export const RAW =
	/TypeError|RangeError|Cannot (read|set|convert|destructure|access)|is not (a function|iterable|a constructor|defined|an object)|Invalid (array|string|time|URL)|Maximum call stack|Unexpected (token|end)|circular structure|URI malformed|\[object \w+\]/;
