/** How the message begins that tells a model what stands now, between what was said before and the newest words. */
export const STANDING = '[What stands now; data]';
