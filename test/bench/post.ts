/** Sends a POST request over a kept-alive connection with minimal overhead. */
import { request, type Agent } from 'node:http'

export interface Post {
  url: string
  token?: string
  body: string
}

/** Resolves when the response is complete. @throws Error unless the status is 2xx. */
export function post(agent: Agent, { url, token, body }: Post): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: token }) }
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => {
        const { statusCode = 0 } = answer
        if (statusCode < 200 || statusCode > 299) reject(new Error(`${url}: ${statusCode}`))
        else resolve()
      })
    })
    call.once('error', reject)
    call.end(body)
  })
}
