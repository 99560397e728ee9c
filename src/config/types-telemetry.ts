/** Where traces go; without an endpoint there are none. */
export interface TelemetryConfig {
  /** Of a collector that speaks OTLP over HTTP. */
  endpoint?: string;
  headers: Record<string, string>;
  /** Of all traces, from 0 to 1. */
  sample?: number;
  /** The name of this gateway among others. */
  service?: string;
}
