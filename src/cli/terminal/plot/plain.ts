import type { Context } from '../../command.js'

/** Checks whether drawings must use ASCII only: the terminal is dumb, or colours are off. */
export function isPlain({ env, flags }: Pick<Context, 'env' | 'flags'>): boolean {
  const noColour = env['NO_COLOR']
  return env['TERM'] === 'dumb' || !flags.color || (noColour !== undefined && noColour !== '')
}
