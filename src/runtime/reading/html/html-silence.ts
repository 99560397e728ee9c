/**
 * Tracks a hidden element from its start to its end. Some end tags are optional; a hidden element without one ends
 * where it would in a browser, and not with the page.
 * https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
 */
const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const CELL_ENDS = wordSet('td th tr tbody tfoot');
const TERM_ENDS = wordSet('dt dd');
/** Elements with an optional end tag, with the start tags that end them. */
const ENDED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'p',
    wordSet(
      'address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul',
    ),
  ],
  ['li', wordSet('li')],
  ['dt', TERM_ENDS],
  ['dd', TERM_ENDS],
  ['tr', wordSet('tr tbody tfoot')],
  ['td', CELL_ENDS],
  ['th', CELL_ENDS],
  ['option', wordSet('option optgroup')],
]);
/** Inside these, another element of the same name is separate. */
const SCOPES = ['ul', 'ol', 'menu', 'dl', 'table', 'select'];
const CONTAINERS = wordSet(
  'address article aside blockquote body caption center details dialog div dl fieldset figcaption figure footer form header html li main menu ol section select summary table tbody td tfoot th thead tr ul',
);

/** Counts open containers by name. Counting instead of stacking takes linear time at any depth. */
export class Containers {
  readonly #counts = new Map<string, number>();

  open(name: string): void {
    if (CONTAINERS.has(name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Returns false if none of that name was open. */
  close(name: string): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count > 0) this.#counts.set(name, count - 1);
    return count > 0;
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }
}

export class Silence {
  readonly isTitle: boolean;
  readonly name: string;
  readonly #endedBy: ReadonlySet<string> | undefined;
  readonly #inner = new Containers();
  #depth = 1;

  constructor(name: string, isTitle: boolean) {
    this.name = name;
    this.isTitle = isTitle;
    this.#endedBy = ENDED_BY.get(name);
  }

  /** Returns whether this start tag ends the element. */
  isEndedByStart(name: string): boolean {
    if (this.#endedBy?.has(name) && !this.#isWithin()) return true;
    if (this.#endedBy) this.#inner.open(name);
    else if (name === this.name) this.#depth++;
    return false;
  }

  /** Returns whether this end tag is its own, or that of an element around it. */
  isEndedByEnd(name: string, around: Containers): boolean {
    if (!this.#endedBy) return name === this.name && --this.#depth === 0;
    const isInner = this.#inner.close(name);
    if (name === this.name) return !isInner && !this.#isWithin();
    return !isInner && around.has(name);
  }

  #isWithin(): boolean {
    return SCOPES.some((scope) => this.#inner.has(scope));
  }
}
