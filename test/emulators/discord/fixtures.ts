/** The people and channels with which every emulator starts. */

export const TEST_APPLICATION = '700000000000000001';
export const TEST_TOKEN = 'NzAwMDAwMDAwMDAwMDAwMDAx.Emulat.OnlyForTestsOnLoopback0123456789abcdef';
export const TEST_GUILD = '600000000000000001';
/** The text channels with which every emulator starts. */
export const TEST_CHANNELS = { general: '610000000000000001', random: '610000000000000002' };
/** The people with whom every emulator starts, all members of the guild. */
export const TEST_PEOPLE = { alex: '2002', bea: '2003', carl: '2004' };
