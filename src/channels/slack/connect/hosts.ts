/** Where requests may go besides the Web API: credentials and contents reach these hosts and no others (promise 53). */

const SLACK_API = 'https://slack.com';

export interface Hosts {
  /** Files: the only place where a download may carry the token. */
  isFiles(url: string): boolean;
  /** `response_url`s. */
  isHooks(url: string): boolean;
}

/** With an `apiRoot` other than Slack's own, its exact origin stands for all of them. */
export function createHosts(apiRoot: string): Hosts {
  const { origin } = new URL(apiRoot);
  const is = (url: string, host: string) => {
    if (!URL.canParse(url)) return false;
    const target = new URL(url);
    if (target.username !== '' || target.password !== '') return false;
    return target.origin === host || (origin !== SLACK_API && target.origin === origin);
  };
  return {
    isFiles: (url) => is(url, 'https://files.slack.com'),
    isHooks: (url) => is(url, 'https://hooks.slack.com'),
  };
}
