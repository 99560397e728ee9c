import { contract } from '../contract.ts';

contract('discord');
