#!/usr/bin/env node
// Listens for the calls of a webhook, and fetches what is new since the last one, or since the start.
// PRYV_API_ENDPOINT is the link of the access that the webhook belongs to; PORT is where to listen, 8080 without it.
import { createServer } from 'node:http'

if (process.env.PRYV_API_ENDPOINT === undefined) {
  console.error('PRYV_API_ENDPOINT is not set')
  process.exit(1)
}
const endpoint = new URL(process.env.PRYV_API_ENDPOINT)
const token = endpoint.username
endpoint.username = ''
// What is older than the start of this program is not shown.
let since = await serverTime().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
// One at a time: calls that come meanwhile wait, so that nothing is shown twice.
let work = Promise.resolve()

// The time of the node: the clock of this machine may differ from it.
async function serverTime() {
  const answer = await fetch(new URL('access-info', endpoint), { headers: { authorization: token } })
  const { meta, error } = await answer.json()
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  return meta.serverTime
}

async function showNew() {
  const query = new URLSearchParams({ modifiedSince: String(since), includeDeletions: 'true', limit: '1000', sortAscending: 'true' })
  const answer = await fetch(new URL(`events?${query}`, endpoint), { headers: { authorization: token } })
  const { events = [], error } = await answer.json()
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  for (const event of events) {
    // modifiedSince asks for what is later.
    since = Math.max(since, event.modified)
    console.log(`event ${event.id} ${event.type} ${JSON.stringify(event.content)}`)
  }
}

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => (body += part))
  request.on('end', () => {
    let messages
    try {
      messages = JSON.parse(body).messages
    } catch {
      messages = undefined
    }
    if (request.method !== 'POST' || !Array.isArray(messages)) return response.writeHead(400).end()
    // Answered at once: the call says only that there is something to fetch.
    response.writeHead(200).end()
    if (messages.includes('eventsChanged')) work = work.then(showNew).catch((error) => console.error(error.message))
  })
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/`))
