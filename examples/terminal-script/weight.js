#!/usr/bin/env node
// A diary of weights in the terminal: `weight.js 72.4` notes one, `weight.js` shows the last ten.
// PRYV_API_ENDPOINT is the link that `coffer accesses create` prints: https://<token>@node.example.org/ana/
const endpoint = new URL(process.env.PRYV_API_ENDPOINT ?? fail('PRYV_API_ENDPOINT is not set'))
const token = endpoint.username
endpoint.username = ''

async function call(method, path, body) {
  const answer = await fetch(new URL(path, endpoint), {
    method,
    headers: { authorization: token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const result = await answer.json()
  return result.error === undefined ? result : fail(`${result.error.id}: ${result.error.message}`)
}

function fail(why) {
  console.error(why)
  process.exit(1)
}

const [typed] = process.argv.slice(2)
if (typed !== undefined) {
  const kg = Number(typed)
  if (!(kg > 0)) fail(`a weight in kg is a positive number, not ${typed}`)
  const { event } = await call('POST', 'events', { streamIds: ['weight'], type: 'mass/kg', content: kg })
  console.log(`noted ${event.content} kg`)
} else {
  const { events } = await call('GET', 'events?streams=weight&types=mass/kg&limit=10')
  for (const { time, content } of events) console.log(`${new Date(time * 1000).toISOString()}  ${content} kg`)
}
