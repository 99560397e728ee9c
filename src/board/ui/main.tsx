/** The page's entry point. */
import { render } from 'preact';
import { Shell } from './shell.tsx';

const root = document.getElementById('board');
if (root !== null) render(<Shell />, root);
