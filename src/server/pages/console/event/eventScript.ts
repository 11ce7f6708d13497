/**
 * Script of forms of events: progressive enhancement only. `button[data-position]` fills in the position of the device; its value is
 * the text after a refusal.
 */
export const eventScriptText = `
'use strict'
for (const button of document.querySelectorAll('button[data-position]')) {
  if (!navigator.geolocation || !window.isSecureContext) continue
  button.hidden = false
  const note = document.createElement('span')
  note.className = 'small soft'
  note.setAttribute('role', 'status')
  button.after(' ', note)
  button.addEventListener('click', () => {
    button.disabled = true
    note.textContent = ''
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      button.disabled = false
      const values = { latitude: coords.latitude, longitude: coords.longitude, altitude: coords.altitude, horizontalAccuracy: coords.accuracy, verticalAccuracy: coords.altitudeAccuracy, speed: coords.speed, bearing: coords.heading }
      for (const [name, value] of Object.entries(values)) {
        const input = document.querySelector('[name="content.' + name + '"]')
        if (input && typeof value === 'number' && !Number.isNaN(value)) input.value = String(value)
      }
    }, () => {
      button.disabled = false
      note.textContent = button.dataset.position
    }, { enableHighAccuracy: true, timeout: 20000 })
  })
}
`
