/** The media type of a body of frames (frames.ts). Whoever only asks for one loads nothing that reads them. */
export const FRAMES_TYPE = 'application/vnd.coffer.frames'
