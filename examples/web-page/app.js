// A diary of weights: signs in through the node's own pages, lists weights, adds some, and follows changes.
import pryv from 'pryv'
import { io } from 'socket.io-client'

const serviceInfo = pryv.Browser.serviceInfoFromUrl() ?? 'http://127.0.0.1:3000/service/info'
const form = document.getElementById('add')
const weights = document.getElementById('weights')
const tell = (text) => (document.getElementById('state').textContent = text)

let connection
let socket

pryv.Browser.setupAuth(
  {
    spanButtonID: 'sign-in',
    authRequest: {
      requestingAppId: 'weight-diary',
      requestedPermissions: [{ streamId: 'weight', level: 'contribute', defaultName: 'Weight' }],
    },
    onStateChange: ({ status, apiEndpoint }) => {
      if (status === 'ACCEPTED') open(apiEndpoint).catch((error) => tell(error.message))
      // The button also signs out.
      else if (status === 'INITIALIZED') close()
    },
  },
  serviceInfo,
).catch((error) => tell(`The node does not answer: ${error.message}`))

async function open(apiEndpoint) {
  connection = new pryv.Connection(apiEndpoint)
  const username = await connection.username()
  // What changes is told, not how: the list is fetched again, after a lost connection too.
  socket = io(`${connection.endpoint}${username}?auth=${connection.token}`, { transports: ['websocket'] })
  socket.on('connect', show)
  socket.on('eventsChanged', show)
  form.hidden = false
  await show()
}

function close() {
  socket?.close()
  form.hidden = true
  weights.replaceChildren()
}

async function show() {
  const events = await connection.apiOne('events.get', { streams: ['weight'], types: ['mass/kg'], limit: 20 }, 'events')
  const lines = events.map(({ time, content }) => {
    const line = document.createElement('li')
    line.textContent = `${new Date(time * 1000).toLocaleString()}  ${content} kg`
    return line
  })
  weights.replaceChildren(...lines)
  tell(events.length === 0 ? 'No weights yet.' : '')
}

form.addEventListener('submit', (submitted) => {
  submitted.preventDefault()
  const content = Number(new FormData(form).get('kg'))
  form.reset()
  connection
    .apiOne('events.create', { streamIds: ['weight'], type: 'mass/kg', content }, 'event')
    .then(show)
    .catch((error) => tell(error.message))
})
