/** Reads queries by the grammar that Prometheus itself is edited with. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}

export interface Query {
  selectors: Selector[];
  /** The labels of `by`, `without`, `on` and the like. */
  groupings: string[];
}

/** Returns what a query asks for; throws where it is no query. */
export function readQuery(expr: string): Query {
  // Grafana fills these in.
  const text = expr.replaceAll('$__rate_interval', '5m');
  const query: Query = { selectors: [], groupings: [] };
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
      const found = text.slice(from, to);
      if (type.name === 'VectorSelector') query.selectors.push({ name: '', matchers: [] });
      const selector = query.selectors.at(-1);
      if (type.name === 'Identifier' && selector) selector.name = found;
      if (type.name === 'UnquotedLabelMatcher') {
        const [label = '', operator = '', value = ''] = ['LabelName', 'MatchOp', 'StringLiteral'].map((part) => {
          const child = node.getChild(part);
          return child ? text.slice(child.from, child.to) : '';
        });
        selector?.matchers.push({ label, operator, value: value.slice(1, -1) });
      }
      if (type.name === 'LabelName' && node.parent?.name === 'GroupingLabels') query.groupings.push(found);
    },
  });
  return query;
}
