/** The page's icons, drawn in strokes of one width on a grid of 16. */
import type { JSX } from 'preact';

const PATHS = {
  now: 'M2.5 4.5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H7l-3 2.8V10.4a2 2 0 0 1-1.5-1.9z',
  tasks: 'M2.5 4l1.2 1.2L6 2.9M2.5 10.5l1.2 1.2L6 9.4M8.5 4.5h5M8.5 11h5',
  files: 'M4 1.8h5L12.5 5v8.2a1 1 0 0 1-1 1H4.5a1 1 0 0 1-1-1V2.8a1 1 0 0 1 1-1zM9 1.8V5h3.5',
  jobs: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  memory: 'M4 2h8.5v12H4.8A1.3 1.3 0 0 1 3.5 12.7V3.3A1.3 1.3 0 0 1 4.8 2M3.5 12.5c0-.8.6-1.3 1.3-1.3h7.7M6.5 5h3.5',
  health: 'M1.8 8h3l1.7-4.5 3 9L11.2 8h3',
  usage: 'M3 13.5V9M8 13.5v-11M13 13.5V6',
  logs: 'M2.5 3.5h11M2.5 6.5h7M2.5 9.5h11M2.5 12.5h5',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13.5c.3-2.4 2-3.8 4.2-3.8s3.9 1.4 4.2 3.8M10.8 7.3a2.2 2.2 0 0 0 0-4.4M12 10c1.3.5 2.1 1.7 2.3 3.5',
  skills: 'M8 1.8l1.7 4.5 4.5 1.7-4.5 1.7L8 14.2l-1.7-4.5L1.8 8l4.5-1.7z',
  agents:
    'M4.5 6h7a1.5 1.5 0 0 1 1.5 1.5V12a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 12V7.5A1.5 1.5 0 0 1 4.5 6zM8 6V3M8 2.2v.1M6 9.2v.9M10 9.2v.9',
  settings:
    'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  send: 'M8 13V3.5M3.8 7.5L8 3.3l4.2 4.2',
  stop: 'M4.5 4.5h7v7h-7z',
  attach: 'M13 7.5l-5 5a3 3 0 0 1-4.3-4.3l5.3-5.2a2 2 0 0 1 2.9 2.9L6.7 11a1 1 0 0 1-1.5-1.4l4.6-4.5',
  copy: 'M6 5.5h7.5V13H6zM10 5.5V3H2.5v7.5H6',
  mic: 'M8 9.8a2 2 0 0 0 2-2V4a2 2 0 1 0-4 0v3.8a2 2 0 0 0 2 2zM3.8 7.5a4.2 4.2 0 0 0 8.4 0M8 11.7v2.1',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  download: 'M8 2.5v8M4.5 7.2L8 10.7l3.5-3.5M2.8 13.5h10.4',
  edit: 'M10.5 3l2.5 2.5-7.5 7.5H3v-2.5z',
  play: 'M5 3.2v9.6L12.5 8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3',
  trash: 'M2.8 4.2h10.4M6.2 4.2V2.6h3.6v1.6M4.3 4.2l.6 9.2h6.2l.6-9.2',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  again: 'M13 4v3.2H9.8M12.8 7A5 5 0 1 0 13 9.5',
  alert: 'M8 2.2l6.2 11H1.8zM8 6.5v3M8 11.3v.01',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M3.4 12.6l.8-.8M11.8 4.2l.8-.8',
  moon: 'M13.3 9.8A5.6 5.6 0 0 1 6.2 2.7a5.6 5.6 0 1 0 7.1 7.1z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M8 5h4.5M8 8h6M8 11h4.5',
  tool: 'M9.6 6.4a3 3 0 0 1 3.9-3.7l-2 2 .3 1.7 1.7.3 1.9-1.9',
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the text beside it has the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
