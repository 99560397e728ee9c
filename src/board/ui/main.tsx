/** The entry of the page. */
import { render } from 'preact';
import { Shell } from './shell.tsx';

const root = document.getElementById('board');
if (root !== null) render(<Shell />, root);
