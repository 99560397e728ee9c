/**
 * The dashboard and the alerts that are delivered: Grafana and Prometheus take them, and every query asks for numbers, labels and
 * values that there are.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { openWorld } from '../dialogs/harness.ts';
import { readMetrics } from '../helpers/openmetrics.ts';
import { type Query, readQuery } from '../helpers/promql.ts';

const root = join(import.meta.dirname, '..', '..');
const source = z.strictObject({ type: z.literal('prometheus'), uid: z.templateLiteral(['$', '{datasource}']) });
const unit = z.enum(['s', 'short', 'none', 'bytes']);
const isFilled = z.string().min(2);
const gridPos = z.strictObject({ h: z.int(), w: z.int().max(24), x: z.int().max(23), y: z.int() });
const rowShape = z.object({ type: z.literal('row'), id: z.int(), title: isFilled, gridPos });
const panelShape = z.object({
  ...{
    type: z.enum(['timeseries', 'stat']),
    id: z.int(),
    title: isFilled,
    description: isFilled,
    datasource: source,
    gridPos,
  },
  fieldConfig: z.object({ defaults: z.object({ unit }), overrides: z.array(z.never()) }),
  targets: z.array(z.object({ refId: z.string(), datasource: source, expr: isFilled, legendFormat: isFilled })).min(1),
});
/** The classic model, https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
const dashboardShape = z.object({
  ...{ title: isFilled, uid: isFilled, schemaVersion: z.literal(39), version: z.int(), refresh: isFilled },
  time: z.object({ from: isFilled, to: isFilled }),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })) }),
  panels: z.array(z.discriminatedUnion('type', [rowShape, panelShape])),
});

const dashboard = dashboardShape.parse(JSON.parse(readFileSync(join(root, 'deploy/grafana-dashboard.json'), 'utf8')));
const panels = dashboard.panels.flatMap((panel) => (panel.type === 'row' ? [] : [panel]));
const expressions = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

/** https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/ */
const duration = z.string().regex(/^\d+[smh]$/);
const rulesShape = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: isFilled,
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Viber[A-Z]\w+$/),
          expr: isFilled,
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: isFilled, description: isFilled }),
        }),
      ),
    }),
  ),
});
const alerts = rulesShape
  .parse(parse(readFileSync(join(root, 'deploy/prometheus-rules.yaml'), 'utf8')))
  .groups.flatMap(({ rules }) => rules);

/** What Prometheus itself adds to each sample. */
const TARGET = ['job', 'instance'];
const familyOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

/** Each metric with the labels that it is documented with. */
const documented = new Map(
  [
    ...readFileSync(join(root, 'docs/observability.md'), 'utf8').matchAll(
      /^- `(viber_\w+)` \((\w+)(?:; ([\w, ]+))?\)/gm,
    ),
  ].map(([, name = '', , labels]) => [name, labels?.split(', ') ?? []]),
);
const labelsOf = (name: string): string[] => [
  ...(documented.get(familyOf(name)) ?? []),
  ...(name.endsWith('_bucket') ? ['le'] : []),
];

interface KnownSample {
  name: string;
  labels: Record<string, string>;
}

/** Says what a query asks for that nothing tells. */
function missingIn({ selectors, groupings }: Query, samples: readonly KnownSample[]): string[] {
  const allLabels = [...TARGET, ...selectors.flatMap(({ name }) => labelsOf(name))];
  const bySelector = selectors.flatMap(({ name, matchers }) => {
    const own = samples.filter((sample) => sample.name === name);
    if (own.length === 0) return [name];
    return matchers.flatMap(({ label, operator, value }) => {
      if (![...TARGET, ...labelsOf(name)].includes(label)) return [`${name}{${label}}`];
      // Grafana fills in its variables.
      if (value.startsWith('$')) return [];
      const values = operator.endsWith('~') ? value.split('|') : [value];
      const missing = values.filter((one) => !own.some(({ labels }) => labels[label] === one));
      return missing.map((one) => `${name}{${label}="${one}"}`);
    });
  });
  return [...bySelector, ...groupings.filter((label) => !allLabels.includes(label)).map((label) => `by (${label})`)];
}

/** What a gateway tells that has answered, failed and paid; of a family whose first number is still to come only the name. */
async function tellAll(): Promise<{ fresh: KnownSample[]; samples: KnownSample[] }> {
  const world = await openWorld({ config: { prices: { 'local/test-model': { input: 1, output: 10 } } } });
  const tell = async () => {
    const response = await fetch(`http://127.0.0.1:${world.app.port}/metrics`);
    return [...readMetrics(await response.text(), 'text').values()].flatMap((family): KnownSample[] =>
      family.samples.length > 0 ? family.samples : [{ name: family.name, labels: {} }],
    );
  };
  const fresh = await tell();
  const usage = { prompt_tokens: 900, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 300 } };
  world.llm.script(({ n }) => (n === 1 ? { text: 'yes', usage } : { fault: 'server-error' }));
  await world.ask('works');
  await world.ask('fails');
  return { fresh, samples: await tell() };
}
let told: ReturnType<typeof tellAll> | undefined;
const tellOnce = () => (told ??= tellAll());

describe('the dashboard and the alerts', () => {
  it.each([...expressions, ...alerts.map(({ alert, expr }) => ({ title: alert, expr }))])(
    '$title: $expr',
    async ({ expr }) => {
      const query = readQuery(expr);
      expect(query.selectors.length).toBeGreaterThan(0);
      expect(missingIn(query, (await tellOnce()).samples)).toEqual([]);
    },
  );

  it('rely on a page that names each metric with the labels that it has', async () => {
    for (const { name, labels } of (await tellOnce()).samples) {
      if (Object.keys(labels).length > 0) expect(Object.keys(labels).sort(), name).toEqual(labelsOf(name).sort());
      expect([...documented.keys()]).toContain(familyOf(name));
    }
  });

  it('find what a query asks for in vain', async () => {
    const { samples } = await tellOnce();
    const missing = (expr: string) => missingIn(readQuery(expr), samples);
    expect(missing('rate(viber_lost_total[5m])')).toEqual(['viber_lost_total']);
    expect(missing('sum by (le, person) (viber_answer_seconds_bucket{job=~"$job"})')).toEqual(['by (person)']);
    expect(missing('viber_runs_total{channel="a"}')).toEqual(['viber_runs_total{channel}']);
    expect(missing('viber_deliveries_total{outcome=~"dead|lost"}')).toEqual(['viber_deliveries_total{outcome="lost"}']);
    expect(() => readQuery('sum by (le) (rate(viber_x_bucket[5m])')).toThrow('no PromQL');
  });
});

describe('the alerts', () => {
  it('have names of their own, and fill in only labels that their query keeps', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, expr, annotations } of alerts) {
      const { groupings } = readQuery(expr);
      const filled = Object.values(annotations).flatMap((text) =>
        [...text.matchAll(/\{\{(.*?)\}\}/g)].map(([, what = '']) => what.trim()),
      );
      for (const what of filled) {
        const [, label] = /^\$labels\.(\w+)$/.exec(what) ?? [];
        expect(
          label === undefined ? what === '$value | humanizeDuration' : groupings.includes(label),
          `${alert}: ${what}`,
        ).toBe(true);
      }
    }
  });

  it('see the first failure, since its count begins at 0', async () => {
    const outcomes = (await tellOnce()).fresh.filter(({ name }) => name === 'viber_deliveries_total');
    expect(outcomes.map(({ labels }) => labels.outcome)).toEqual(expect.arrayContaining(['dead', 'unsure']));
  });
});

describe('the dashboard', () => {
  it('shows all there is', async () => {
    const shown = new Set(
      expressions.flatMap(({ expr }) => readQuery(expr).selectors.map(({ name }) => familyOf(name))),
    );
    expect([...documented.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has panels that stand beside each other, each with a title, words and a unit of its own kind', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = new Set<string>();
    for (const {
      title,
      gridPos: { x, y, w, h },
    } of dashboard.panels) {
      expect(x + w, title).toBeLessThanOrEqual(24);
      for (let row = y; row < y + h; row++)
        for (let column = x; column < x + w; column++) {
          expect(cells.has(`${row} ${column}`), title).toBe(false);
          cells.add(`${row} ${column}`);
        }
    }
    for (const { title, targets, fieldConfig } of panels) {
      const isTime = targets.every(({ expr }) => /_seconds/.test(expr));
      if (isTime) expect(fieldConfig.defaults.unit, title).toBe('s');
      if (targets.some(({ expr }) => /_bytes/.test(expr))) expect(fieldConfig.defaults.unit, title).toBe('bytes');
    }
  });
});
