/** The suite of every channel, on the channel without a platform: what runs on it once is no easier there. */
import { contract } from '../channels/contract.ts';

contract('loopback');
