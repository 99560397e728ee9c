import { contract } from '../contract.ts';

contract('slack');
