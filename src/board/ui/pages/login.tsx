/** Login: exchanges the link's code for a key, or explains how to get a link. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError, said } from '../net/api.ts';
import { logIn } from '../net/session.ts';
import { go, pageLink } from '../router.ts';
import { words } from '../words.ts';

interface Attempt {
  code: string;
  /** The exchange of the code, which happens once: the page may render again, in another language, meanwhile. */
  login?: Promise<void>;
}

/** Takes the code from the fragment, which no server or log sees, and removes it from the address at once. */
function takeCode(): Attempt | undefined {
  const code = location.hash.slice(1);
  if (!/\/login\/?$/.test(location.pathname) || code === '') return undefined;
  history.replaceState(null, '', location.pathname);
  return { code };
}

const latest = signal(takeCode());
// A link that is opened on this page changes only the fragment, and the browser doesn't load the page again.
addEventListener('hashchange', () => {
  latest.value = takeCode() ?? latest.value;
});

export function Login(): JSX.Element {
  const attempt = latest.value;
  const isChecking = useSignal(attempt !== undefined);
  const problem = useSignal('');
  useEffect(() => {
    if (attempt === undefined) return;
    isChecking.value = true;
    problem.value = '';
    attempt.login ??= logIn(attempt.code);
    attempt.login.then(
      () => void go(pageLink(''), { replace: true }),
      (error: unknown) => {
        if (attempt !== latest.peek()) return;
        isChecking.value = false;
        const isUsed = error instanceof ApiError && error.code === 'wrong_code';
        problem.value = isUsed ? words.login.used : said(error);
      },
    );
  }, [attempt, isChecking, problem]);
  return (
    <main class="login" id="page">
      <div class="login-card">
        <span class="mark" aria-hidden="true" />
        <h1>{isChecking.value ? words.login.checking : words.login.title}</h1>
        {problem.value !== '' && (
          <p class="login-problem" role="alert">
            {problem.value}
          </p>
        )}
        {!isChecking.value && (
          <>
            <p>{words.login.how}</p>
            <dl>
              <dt>{words.login.terminal}</dt>
              <dd>
                <code>{document.documentElement.dataset.program ?? 'viber'} board</code>
              </dd>
              <dt>{words.login.chat}</dt>
              <dd>
                <code>/board</code>
              </dd>
            </dl>
            <p class="intro">{words.login.note}</p>
          </>
        )}
      </div>
    </main>
  );
}
