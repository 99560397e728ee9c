/** The page's entry point. */
import { render } from 'preact';
import { keepShell } from './net/shell.ts';
import { Shell } from './shell.tsx';
import { speakFirst } from './words.ts';

const root = document.getElementById('board');
if (root !== null) void speakFirst().then(() => render(<Shell />, root));
keepShell();
