/** Lists the hosts for requests other than the Web API: credentials and contents go to these only (promise 53). */

const SLACK_API = 'https://slack.com';

export interface Hosts {
  /** Returns whether it is a file URL: the only kind of download that may carry the token. */
  isFiles(url: string): boolean;
  /** Returns whether it is a `response_url`. */
  isHooks(url: string): boolean;
}

/** Returns the hosts. With an `apiRoot` other than Slack's own, its exact origin is allowed for all of them. */
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
