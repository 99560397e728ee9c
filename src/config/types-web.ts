/** What the configuration says of the web: its part of `types.ts`. */

/** How the web is searched. */
export interface SearchConfig {
  /** `auto`: by the model's provider where it has a search, else by what has an address or a key. */
  by: 'auto' | 'off' | 'provider' | 'searxng' | 'brave' | 'tavily';
  /** Of SearXNG; or in place of the usual address of Brave and Tavily. */
  url?: string;
  /** Of Brave or Tavily. */
  apiKey?: string;
  /** Whose provider searches, where that is not the model that answers. */
  model?: string;
}

export interface WebConfig {
  /** Hosts whose pages are read without a question: `example.org`, `*.example.org`, `example.org:8443`; in their normal form. */
  hosts: string[];
}
