/** Media type of a body of frames (frames.ts), in its own module so that clients need not load the reader. */
export const FRAMES_TYPE = 'application/vnd.coffer.frames'
