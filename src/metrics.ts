/** Counters and gauges in the text format that Prometheus reads (`/metrics`). Label values come from our own code only. */

const HELP = {
  viber_inbound_total: 'Platform events, by channel and what became of them.',
  viber_runs_total: 'Runs, by final state.',
  viber_deliveries_total: 'Attempts to deliver, by outcome.',
  viber_dropped_total: 'Events of kinds that are not handled, by channel and kind.',
} as const;

export interface Metrics {
  count(name: keyof typeof HELP, labels: Record<string, string>): void;
  /** A value read when asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The whole page. */
  render(): Promise<string>;
}

const MAX_SERIES = 1_000;

export function createMetrics(): Metrics {
  const counters = new Map<string, number>();
  const gauges = new Map<string, { help: string; read: () => number | Promise<number> }>();
  return {
    count(name, labels) {
      const text = Object.entries(labels)
        .map(([key, value]) => `${key}=${JSON.stringify(value.slice(0, 60))}`)
        .join(',');
      const series = `${name}{${text}}`;
      if (!counters.has(series) && counters.size >= MAX_SERIES) return;
      counters.set(series, (counters.get(series) ?? 0) + 1);
    },
    gauge: (name, help, read) => void gauges.set(name, { help, read }),
    async render() {
      const lines: string[] = [];
      for (const [name, help] of Object.entries(HELP)) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`);
        for (const [series, value] of counters) if (series.startsWith(`${name}{`)) lines.push(`${series} ${value}`);
      }
      for (const [name, { help, read }] of gauges) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${await read()}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
