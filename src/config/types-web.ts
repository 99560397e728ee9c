/** What the configuration says of skills and of the web: its part of `types.ts`. */

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

export interface SkillsConfig {
  /** What scripts of a skill find in their environment, by the skill's name. */
  env: Record<string, Record<string, string>>;
  /** Skills whose scripts and programs may reach the network although their files do not say so. */
  network: string[];
  /** Seconds a script may run where its skill names no time. */
  timeout: number;
  /** Exact origins that `web-fetch` may read although they are private or not https. */
  webOrigins: string[];
  /** What a prompt says of skills that are read, in tokens: descriptions of as many as fit, the names of all. */
  max_prompt_tokens: number;
  /** Where packages that hold skills are asked for. */
  registry: string;
  /** Commands in the sandbox: not at all, without network, with it. */
  shell: 'off' | 'on' | 'network';
}

/** Dialled by this gateway when it has both url and token; programs there submit tasks. */
export interface HubConfig {
  url?: string;
  token?: string;
  /** Whom its tasks are for; the usual one where it is absent. */
  viberId?: string;
  role: 'owner' | 'member' | 'guest';
}
