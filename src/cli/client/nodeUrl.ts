/** The address of a node of another machine, as a person types it. */
import { usageError } from '../framework/exit.js'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * The address with a slash at its end. Without TLS only on this machine: the operator key goes with each command.
 * @throws CommandError 2
 */
export function nodeUrl(typed: string): string {
  if (!URL.canParse(typed) || !/^https?:$/.test(new URL(typed).protocol)) {
    throw usageError(`<url> takes an address such as https://nas.example.org, not ${JSON.stringify(typed)}`)
  }
  const { protocol, hostname, host, pathname, username, password, search, hash } = new URL(typed)
  if (username !== '' || password !== '') throw usageError('<url> holds no name and no key: the operator key is asked for')
  if (search !== '' || hash !== '') throw usageError('<url> takes the address alone, without ? and #')
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    throw usageError(
      'The operator key would go over the network for everybody to read: <url> takes https://',
      `Or go through a tunnel: ssh -L 3001:localhost:3000 ${hostname}, then http://localhost:3001`,
    )
  }
  return `${protocol}//${host}${pathname.replace(/\/*$/, '')}/`
}
