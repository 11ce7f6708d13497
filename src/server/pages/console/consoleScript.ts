/**
 * Script of the console: progressive enhancement only. Elements request a behaviour by `data-` attributes:
 * `data-live` (with an id): replaced by the same element of a new copy of the page when the account changes, with the value `audit`
 * also when another access calls;
 * `data-later` within such an element: the page is requested again, and waits for its values;
 * `details.menu`: closed by Escape and by a click elsewhere; `data-auto`: the form is sent when one of its fields changes.
 */
export const consoleScriptText = `
'use strict'
{
const all = (query, within = document) => [...within.querySelectorAll(query)]
// Menus close by Escape and by a click elsewhere.
addEventListener('click', (event) => {
  for (const menu of all('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false
})
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of all('details.menu[open]')) {
    menu.open = false
    menu.querySelector('summary').focus()
  }
})
for (const form of all('form[data-auto]')) form.addEventListener('change', () => form.requestSubmit())
// Live parts: the node announces changes of the account while the page is visible.
const root = location.pathname.replace(/\\/web\\/.*/, '/web')
let source
let isRefreshing = false
let isDue = false
const isBusy = (part) => part.contains(document.activeElement) && document.activeElement.matches('input,textarea,select') || part.querySelector('details[open] form') !== null
async function refresh() {
  if (isRefreshing) { isDue = true; return }
  isRefreshing = true
  try {
    const isLater = document.querySelector('[data-live] [data-later]') !== null
    const answer = await fetch(location.href, { headers: { Accept: 'text/html', ...(isLater ? { Prefer: 'wait=10' } : {}) } })
    if (answer.ok && !answer.redirected) {
      const copy = new DOMParser().parseFromString(await answer.text(), 'text/html')
      for (const part of all('[data-live]')) {
        const fresh = copy.getElementById(part.id)
        if (fresh === null || isBusy(part) || fresh.innerHTML === part.innerHTML) continue
        const focused = part.contains(document.activeElement) ? document.activeElement.id || document.activeElement.getAttribute('href') : null
        part.replaceWith(fresh)
        if (focused) (document.getElementById(focused) || fresh.querySelector('[href="' + CSS.escape(focused) + '"]'))?.focus()
        fresh.dispatchEvent(new CustomEvent('refreshed', { bubbles: true }))
      }
    }
  } catch { /* The next change tries again. */ } finally {
    isRefreshing = false
    if (isDue) { isDue = false; refresh() }
  }
  awaitLater()
}
// Values that the node is still computing: the page is requested again until they are there.
let waiting
function awaitLater() {
  clearTimeout(waiting)
  if (document.querySelector('[data-live] [data-later]') !== null) waiting = setTimeout(refresh, 100)
}
awaitLater()
function listen() {
  if (document.hidden || all('[data-live]').length === 0) {
    if (source) source.close()
    source = undefined
    return
  }
  if (source) return
  const as = new URLSearchParams(location.search).get('as')
  source = new EventSource(root + '/live' + (as ? '?as=' + encodeURIComponent(as) : ''))
  source.addEventListener('change', refresh)
  source.addEventListener('audit', () => { if (document.querySelector('[data-live=audit]')) refresh() })
}
let wasHidden = false
addEventListener('visibilitychange', () => {
  if (!document.hidden && wasHidden) refresh()
  wasHidden = document.hidden
  listen()
})
addEventListener('pagehide', () => { if (source) source.close(); source = undefined })
addEventListener('pageshow', listen)
}
`
