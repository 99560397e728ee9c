/** The dashboard that is delivered: Grafana takes it, and every query of it asks for numbers that there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openWorld } from '../dialogs/harness.ts';
import { readMetrics } from '../helpers/openmetrics.ts';

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

/** What a query asks for, by the grammar that Prometheus itself is edited with; throws where it is no query. */
function askedIn(expr: string): { names: string[]; labels: string[] } {
  // Grafana fills these in.
  const text = expr.replaceAll('$__rate_interval', '5m');
  const names: string[] = [];
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
      const found = text.slice(from, to);
      if (type.name === 'Identifier') names.push(found);
      if (type.name === 'LabelName') labels.push(found);
    },
  });
  return { names, labels };
}

describe('the dashboard', () => {
  it('asks for nothing that a gateway that has answered does not tell, by labels that it has', async () => {
    const world = await openWorld();
    world.llm.script(({ n }) => (n === 1 ? { text: 'yes' } : { fault: 'server-error' }));
    await world.ask('works');
    await world.ask('fails');
    const response = await fetch(`http://127.0.0.1:${world.app.port}/metrics`);
    // A family whose first number is still to come is told by its name alone.
    const samples = [...readMetrics(await response.text(), 'text').values()].flatMap((family) =>
      family.samples.length > 0 ? family.samples : [{ name: family.name, labels: {} }],
    );
    const known = new Set(samples.map(({ name }) => name));
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    for (const { title, expr } of expressions) {
      const asked = askedIn(expr);
      expect(asked.names.length, title).toBeGreaterThan(0);
      expect(
        asked.names.filter((name) => !known.has(name)),
        title,
      ).toEqual([]);
      const own = ['job', 'instance', 'currency', 'kind', ...labels];
      expect(
        asked.labels.filter((name) => !own.includes(name)),
        title,
      ).toEqual([]);
    }
    // And shows all there is.
    const shown = new Set(
      expressions.flatMap(({ expr }) => askedIn(expr).names.map((name) => name.replace(/_bucket$/, ''))),
    );
    const all = new Set([...known].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([...all].filter((name) => !shown.has(name))).toEqual([]);
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

  it('tells a query from what is none', () => {
    expect(() => askedIn('sum by (le) (rate(viber_x_bucket[5m])')).toThrow('no PromQL');
    expect(askedIn('sum by (le) (rate(viber_x_bucket{job=~"$job"}[$__rate_interval]))')).toEqual({
      names: ['viber_x_bucket'],
      labels: ['le', 'job'],
    });
  });
});
