/** A column chart at the available width; each column shows its day and amount. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

export interface Column {
  key: string;
  label: string;
  value: number;
  said: string;
}

const HEIGHT = 160;

export function Columns({ columns, label }: { columns: readonly Column[]; label: string }): JSX.Element {
  const chosen = useSignal<number | undefined>(undefined);
  const most = Math.max(...columns.map(({ value }) => value), 0.000001);
  const step = 100 / Math.max(1, columns.length);
  const shown = chosen.value === undefined ? undefined : columns[chosen.value];
  const first = columns[0];
  const last = columns.at(-1);
  return (
    <figure class="chart">
      <figcaption>{shown === undefined ? '\u00a0' : `${shown.label}: ${shown.said}`}</figcaption>
      <svg
        viewBox={`0 0 100 ${HEIGHT}`}
        height={HEIGHT}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerLeave={() => (chosen.value = undefined)}
      >
        <title>{label}</title>
        {[0.25, 0.5, 0.75, 1].map((part) => (
          <line key={part} class="grid" x1="0" x2="100" y1={HEIGHT * (1 - part) + 0.5} y2={HEIGHT * (1 - part) + 0.5} />
        ))}
        {columns.map(({ key, value }, index) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 4));
          return (
            <g
              key={key}
              class={index === chosen.value ? 'on' : undefined}
              onPointerEnter={() => (chosen.value = index)}
            >
              <rect class="room" x={index * step} y="0" width={step} height={HEIGHT} />
              <rect
                class="column"
                x={index * step + step * 0.16}
                y={HEIGHT - height}
                width={step * 0.68}
                height={height}
              />
            </g>
          );
        })}
      </svg>
      <div class="chart-ends" aria-hidden="true">
        <span>{first?.label}</span>
        <span>{last?.label}</span>
      </div>
    </figure>
  );
}
