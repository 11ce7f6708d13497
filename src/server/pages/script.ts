/**
 * Script of the pages: progressive enhancement only, nothing here is required to sign in, accept or refuse. Elements
 * request a behaviour by `data-` attributes.
 */
export const script = `
'use strict'
const all = (query) => document.querySelectorAll(query)
// Times are shown in the time zone of the browser from the next page on.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const root = new URL(document.currentScript.src).pathname.replace(/\\/assets\\/.*/, '')
if (zone) document.cookie = 'coffer_zone=' + zone + ';path=' + root + ';max-age=31536000;samesite=lax'
// Submit a form only once: ignore a second click.
for (const form of all('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    const button = event.submitter
    setTimeout(() => { if (button) button.disabled = true })
  })
}
addEventListener('pageshow', () => {
  for (const form of all('form[data-sent]')) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll('button[disabled]')) if (!button.dataset.waits) button.disabled = false
  }
})
// data-link: followed at once when the address has a token, which only its page can see.
for (const link of all('a[data-link]')) {
  if (new URL(document.baseURI).username) location.replace(link.href)
}
// data-wait: seconds until the form may be sent again.
for (const form of all('form[data-wait]')) {
  const button = form.querySelector('button')
  let left = Number(form.dataset.wait)
  const text = button.textContent
  button.dataset.waits = 'yes'
  button.disabled = true
  const tick = () => {
    if (left <= 0) {
      button.disabled = false
      button.textContent = text
      delete button.dataset.waits
      return
    }
    button.textContent = text + ' (' + left + ')'
    left -= 1
    setTimeout(tick, 1000)
  }
  tick()
}
// data-show: labels of the button that shows and hides a password.
for (const input of all('input[data-show]')) {
  const [show, hide] = input.dataset.show.split('|')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'link small'
  button.textContent = show
  button.setAttribute('aria-controls', input.id)
  button.addEventListener('click', () => {
    const hidden = input.type === 'password'
    input.type = hidden ? 'text' : 'password'
    button.textContent = hidden ? hide : show
  })
  input.after(button)
}
// data-check: address that checks whether a user name is free; data-says: texts for free, taken and not valid;
// data-form: pattern of user names.
for (const input of all('input[data-check]')) {
  const [before, after] = input.dataset.check.split('*')
  const [free, taken, invalid] = input.dataset.says.split('|')
  const hint = document.getElementById(input.dataset.hint)
  const form = new RegExp(input.dataset.form)
  let timer
  const setHint = (text, look) => { hint.textContent = text; hint.className = 'hint ' + look }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    const name = input.value.trim().toLowerCase()
    if (name === '') return setHint('', '')
    if (!form.test(name)) return setHint(invalid, 'bad')
    timer = setTimeout(async () => {
      try {
        const answer = await fetch(before + encodeURIComponent(name) + after)
        if (input.value.trim().toLowerCase() !== name) return
        if (!answer.ok) return setHint(invalid, 'bad')
        const { reserved } = await answer.json()
        setHint(reserved ? taken : free, reserved ? 'bad' : 'good')
      } catch { setHint('', '') }
    }, 250)
  })
}
// data-copy: id of the element that a click copies; data-copied: label of the button afterwards.
for (const button of all('button[data-copy]')) {
  if (!navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText)
    button.textContent = button.dataset.copied
  })
}
// data-filter: the search box; hides [data-filtered] elements without its text, and every [data-filter-group] without a
// match.
for (const box of all('[data-filter]')) {
  const input = box.querySelector('input')
  const none = box.querySelector('[data-none]')
  box.hidden = false
  const filter = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let found = 0
    for (const each of all('[data-filtered]')) {
      each.hidden = !words.every((word) => each.dataset.filtered.includes(word))
      if (!each.hidden) found += 1
    }
    for (const group of all('[data-filter-group]')) group.hidden = !group.querySelector('[data-filtered]:not([hidden])')
    none.textContent = found === 0 ? none.dataset.none : ''
  }
  input.addEventListener('input', filter)
  // Browsers restore what was typed before.
  filter()
}
// data-go: link that the browser follows. data-close: closes a window that was opened for this page.
const go = document.querySelector('a[data-go]')
if (go) location.replace(go.href)
else if (document.querySelector('[data-close]')) window.close()
`
