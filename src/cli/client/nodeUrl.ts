/** Parses the typed address of a remote node. */
import { isLoopbackHost } from '../../server/base/loopback.js'
import { usageError } from '../framework/exit.js'

/**
 * Returns the address with a trailing slash. Plain HTTP is only allowed to this machine: each command sends the operator key.
 * @throws CommandError 2
 */
export function nodeUrl(typed: string): string {
  if (!URL.canParse(typed) || !/^https?:$/.test(new URL(typed).protocol)) {
    throw usageError(`<url> takes an address such as https://nas.example.org, not ${JSON.stringify(typed)}`)
  }
  const { protocol, hostname, host, pathname, username, password, search, hash } = new URL(typed)
  if (username !== '' || password !== '') throw usageError('<url> must not contain a name or key: coffer prompts for the operator key')
  if (search !== '' || hash !== '') throw usageError('<url> must not contain ? or #')
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    throw usageError(
      'The operator key would be sent unencrypted: <url> must start with https://',
      `Or use a tunnel: ssh -L 3001:localhost:3000 ${hostname}, then http://localhost:3001`,
    )
  }
  return `${protocol}//${host}${pathname.replace(/\/*$/, '')}/`
}
