/** Responses to browsers on their way to an identity provider and back (docs/interface/sso.md). */
import { asFailure } from '../../../dispatch/call.js'
import type { Context } from '../../../call/context.js'
import type { Answer, Protocol } from '../../../call/protocol.js'

const NO_STORE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }

export const plainAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...NO_STORE },
  text: `${text}\n`,
})

/** Redirects the browser and sets a cookie. */
export const redirectWithCookie = (location: string, cookie: string): Answer => ({
  status: 302,
  headers: { Location: location, 'Set-Cookie': cookie, ...NO_STORE },
  text: '',
})

export const unknownProvider = (): Answer => plainAnswer(404, 'Unknown identity provider.')

/** Protocol of methods that browsers navigate to, not called by scripts of other origins. */
export const browsing: Omit<Protocol, 'answers'> = {
  cors: {},
  cookies: true,
  failed(node: Context, error: unknown) {
    asFailure(node, 'auth.sso', error)
    return plainAnswer(500, 'Something went wrong. Go back and try again in a moment.')
  },
}
