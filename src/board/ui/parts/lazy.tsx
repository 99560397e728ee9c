/** Loads a component when it is first rendered. Shows an error if loading fails, and retries. */
import { signal } from '@preact/signals';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading, Problem } from './common.tsx';

export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  const loaded = signal<FunctionComponent<Props> | undefined>(undefined);
  const problem = signal<unknown>(undefined);
  let isAsked = false;
  const start = () => {
    if (isAsked) return;
    isAsked = true;
    problem.value = undefined;
    load().then(
      (part) => {
        loaded.value = part;
      },
      (error: unknown) => {
        isAsked = false;
        problem.value = error;
      },
    );
  };
  return function Lazy(props: Props): JSX.Element {
    useEffect(start, []);
    const Part = loaded.value;
    if (problem.value !== undefined) return <Problem error={problem.value} retry={start} />;
    return Part === undefined ? <Loading /> : <Part {...props} />;
  };
}
