/**
 * What pages do beyond HTML, where scripts run: none of it is needed to sign in, accept or refuse. Elements ask for it by
 * `data-` attributes.
 */
export const script = `
'use strict'
const all = (query) => document.querySelectorAll(query)
// A form is sent once: a second click is no second request.
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
// data-show: the words that show and hide a password.
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
// data-check: the address that tells whether a user name is free; data-says: the words for free, taken and not valid;
// data-form: what a user name looks like.
for (const input of all('input[data-check]')) {
  const [before, after] = input.dataset.check.split('*')
  const [free, taken, odd] = input.dataset.says.split('|')
  const hint = document.getElementById(input.dataset.hint)
  const form = new RegExp(input.dataset.form)
  let timer
  const say = (text, look) => { hint.textContent = text; hint.className = 'hint ' + look }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    const name = input.value.trim().toLowerCase()
    if (name === '') return say('', '')
    if (!form.test(name)) return say(odd, 'bad')
    timer = setTimeout(async () => {
      try {
        const answer = await fetch(before + encodeURIComponent(name) + after)
        if (input.value.trim().toLowerCase() !== name) return
        if (!answer.ok) return say(odd, 'bad')
        const { reserved } = await answer.json()
        say(reserved ? taken : free, reserved ? 'bad' : 'good')
      } catch { say('', '') }
    }, 250)
  })
}
// data-copy: the id of what a click copies; data-copied: what the button says then.
for (const button of all('button[data-copy]')) {
  if (!navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText)
    button.textContent = button.dataset.copied
  })
}
// data-filter: the box whose text [data-filtered] elements must hold; [data-filter-group] goes when nothing in it is left.
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
  // Browsers bring back what was typed before.
  filter()
}
// data-go: where the browser goes on to. data-close: a window that was opened for this page has done its work.
const go = document.querySelector('a[data-go]')
if (go) location.replace(go.href)
else if (document.querySelector('[data-close]')) window.close()
`
