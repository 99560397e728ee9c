import { contract } from '../contract.ts';

contract('telegram');
