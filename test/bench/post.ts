/** One POST over a connection that stays open, with as little around it as there can be. */
import { request, type Agent } from 'node:http'

export interface Post {
  url: string
  token?: string
  body: string
}

/** Resolves when the answer is whole. @throws Error unless it is 2xx. */
export function post(agent: Agent, { url, token, body }: Post): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: token }) }
  return new Promise((give, fail) => {
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => {
        const { statusCode = 0 } = answer
        if (statusCode < 200 || statusCode > 299) fail(new Error(`${url}: ${statusCode}`))
        else give()
      })
    })
    asked.once('error', fail)
    asked.end(body)
  })
}
