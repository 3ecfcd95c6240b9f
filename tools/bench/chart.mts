import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromReference } from './fromReference.mts';

const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Ours first, then the alternatives. */
const COLORS = ['#0f766e', '#a8a29e', '#d6d3d1'];

interface Bars {
	title: string;
	/** The unit of the numbers, e.g. "ms". */
	unit: string;
	/** What is measured, one line each. */
	categories: string[];
	/** Who is measured, with one number per category. */
	series: { name: string; values: number[] }[];
	/** For numbers that differ by powers of ten. */
	logarithmic?: boolean;
}

/** The part of ECharts that is used. It is installed with the benchmarks' reference, not with the development tools. */
interface Echarts {
	init: (
		element: null,
		theme: null,
		options: object,
	) => { setOption(option: object): void; renderToSVGString(): string; dispose(): void };
}

/** Draws the results of a benchmark for the documentation. */
export function chart(name: string, { title, unit, categories, series, logarithmic }: Bars): void {
	const { init } = fromReference('echarts') as Echarts;
	const height = 90 + categories.length * (16 + series.length * 22);
	const drawing = init(null, null, { renderer: 'svg', ssr: true, width: 760, height });
	const start = logarithmic ? Math.min(...series.flatMap(({ values }) => values)) / 2 : 0;
	const one = series.length === 1;
	drawing.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		color: COLORS,
		title: { text: title, left: 12, top: 10, textStyle: { fontSize: 14 } },
		legend: one ? undefined : { bottom: 8 },
		grid: { left: 12, right: 90, top: 44, bottom: one ? 16 : 40, containLabel: true },
		xAxis: {
			type: logarithmic ? 'log' : 'value',
			// A bar of 1 would have no length.
			min: start,
			startValue: start,
			axisLabel: { show: false },
			splitLine: { show: false },
		},
		yAxis: { type: 'category', data: categories, inverse: true, axisTick: { show: false } },
		series: series.map(({ name: who, values }) => ({
			type: 'bar',
			name: who,
			data: values.map((value, i) => ({
				value,
				itemStyle: one ? { color: i === 0 ? COLORS[0] : COLORS[1] } : undefined,
			})),
			barWidth: 18,
			label: {
				show: true,
				position: 'right',
				formatter: ({ value }: { value: number }) =>
					`${Number(value.toPrecision(3)).toLocaleString('en')} ${unit}`,
			},
		})),
	});
	writeFileSync(`${PICTURES}${name}.svg`, `${drawing.renderToSVGString()}\n`);
	drawing.dispose();
}
