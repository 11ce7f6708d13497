import type { Context } from '../../command.js'

/** Whether drawings are to be of ASCII characters alone: the terminal is dumb, or colours are not wanted. */
export function isPlain({ env, flags }: Pick<Context, 'env' | 'flags'>): boolean {
  const noColour = env['NO_COLOR']
  return env['TERM'] === 'dumb' || !flags.color || (noColour !== undefined && noColour !== '')
}
