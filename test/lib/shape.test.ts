/** Shapes: what they let through, and that one which says something else than its type does not compile. */
import { expect, it } from 'vitest';
import { isNumber, isText, listOf, objectOf, oneOf, optional, shape } from '../../src/lib/shape.ts';

interface Note {
  id: string;
  kind: 'short' | 'long';
  words?: string[];
  unchecked?: number;
}

const isNote = objectOf({ id: isText, kind: oneOf('short', 'long'), words: optional(listOf(isText)) });
const noteShape = shape<Note>(isNote);

it('lets a record through that has its fields, with whatever else it has', () => {
  const note = { id: 'a', kind: 'long', words: ['b'], more: null };
  expect(noteShape.safeParse(note)).toEqual({ success: true, data: note });
});

it.each([
  undefined,
  null,
  [],
  'text',
  {},
  { id: 'a' },
  { id: 1, kind: 'long' },
  { id: 'a', kind: 'middling' },
  { id: 'a', kind: 'long', words: [1] },
])('refuses %j', (value) => {
  expect(noteShape.safeParse(value)).toEqual({ success: false });
});

it('does not compile where it lets other values through than its type has', () => {
  // @ts-expect-error the type says text
  shape<Note>(objectOf({ id: isNumber }));
  // @ts-expect-error the type has no such field
  shape<Note>(objectOf({ id: isText, name: isText }));
  // @ts-expect-error the type has more kinds
  shape<Note>(objectOf({ kind: oneOf('short') }));
  // @ts-expect-error the type lets the words be missing
  shape<Note>(objectOf({ words: listOf(isText) }));
  // @ts-expect-error the words of the type are text
  shape<Note>(objectOf({ words: optional(listOf(isNumber)) }));
});
