/** Login: exchanges the link's code for a key, or explains how to get a link. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError, said } from '../net/api.ts';
import { logIn } from '../net/session.ts';
import { go, pageLink } from '../router.ts';
import { words } from '../words.ts';

/** Returns the code from the fragment, which no server or log sees, and removes it from the address at once. */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (!/\/login\/?$/.test(location.pathname) || code === '') return undefined;
  history.replaceState(null, '', location.pathname);
  return code;
}

const code = takeCode();
/** The only attempt: the page may render again, in another language, while it is in progress. */
let login: Promise<void> | undefined;

export function Login(): JSX.Element {
  const isChecking = useSignal(code !== undefined);
  const problem = useSignal('');
  useEffect(() => {
    if (code === undefined) return;
    login ??= logIn(code);
    login.then(
      () => void go(pageLink(''), { replace: true }),
      (error: unknown) => {
        isChecking.value = false;
        const isUsed = error instanceof ApiError && error.code === 'wrong_code';
        problem.value = isUsed ? words.login.used : said(error);
      },
    );
  }, [isChecking, problem]);
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
