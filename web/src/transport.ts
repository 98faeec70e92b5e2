// transport.ts: play, pause, scrub, speed, loop, camera; and the keys that do the same.
import {Clock} from './clock';
import {nearest_index, Result} from './data';
import {icon, icon_button, make, number_text, time_text} from './format';
import {Replay, View, views} from './replay';

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const SHORTEST = 3;  // a run is stretched to last at least so long at first [s]

export function transport(clock: Clock, result: Result, replay: Replay): HTMLElement {
  const length = clock.last - clock.first;
  const play = icon_button('play', 'Play (space)', () => clock.play(!clock.playing));
  play.classList.add('primary');
  const scrub = make('input', {type: 'range', min: '0', max: '1', step: 'any', value: '0', class: 'scrub', 'aria-label': 'Time'});
  const time = make('output', {class: 'time'});
  const speed = make('select', {title: 'Speed of the replay', 'aria-label': 'Speed of the replay'},
    ...SPEEDS.map((s) => make('option', {value: String(s)}, `${number_text(s)}×`)));
  const loop = icon_button('loop', 'Loop (L)', () => { clock.loop = !clock.loop; show(); });
  const follow = icon_button('follow', 'Camera follows (F)', () => { replay.follows = !replay.follows; show(); });
  let traces = true;
  const trace = icon_button('trace', 'Path (T)', () => { traces = !traces; replay.show_traces(traces); show(); });

  clock.speed = SPEEDS.filter((s) => length / s >= SHORTEST).pop() ?? SPEEDS[0];
  if (clock.speed > 1) clock.speed = 1;
  speed.value = String(clock.speed);
  speed.addEventListener('change', () => { clock.speed = Number(speed.value); });
  scrub.addEventListener('input', () => {
    if (clock.playing) clock.play(false);
    clock.seek(clock.first + Number(scrub.value) * length);
  });

  let was_playing: boolean | null = null;
  const show = () => {
    if (was_playing !== clock.playing) {
      play.replaceChildren(icon(clock.playing ? 'pause' : 'play'));
      play.title = clock.playing ? 'Pause (space)' : 'Play (space)';
      was_playing = clock.playing;
    }
    scrub.value = String(length > 0 ? (clock.now - clock.first) / length : 0);
    scrub.style.setProperty('--done', `${100 * Number(scrub.value)}%`);
    time.textContent = `${time_text(clock.now, length)} s`;
    for (const [button, on] of [[loop, clock.loop], [follow, replay.follows], [trace, traces]] as const)
      button.setAttribute('aria-pressed', String(on));
  };
  clock.on_change(show);
  show();

  const view = (v: View) => replay.view(v);
  const step = (rows: number) => {
    clock.play(false);
    const i = nearest_index(result.time, clock.now) + rows;
    clock.seek(result.time[Math.min(result.time.length - 1, Math.max(0, i))]);
  };
  const keys: {[key: string]: (e: KeyboardEvent) => void} = {
    ' ': () => clock.play(!clock.playing),
    ArrowLeft: (e) => step(e.shiftKey ? -Math.ceil(result.time.length / 100) : -1),
    ArrowRight: (e) => step(e.shiftKey ? Math.ceil(result.time.length / 100) : 1),
    Home: () => clock.seek(clock.first),
    End: () => clock.seek(clock.last),
    l: () => loop.click(),
    f: () => follow.click(),
    t: () => trace.click(),
    ...Object.fromEntries(views.map((v, i) => [String(i + 1), () => view(v)])),
  };
  document.addEventListener('keydown', (e) => {
    const target = e.target as HTMLElement;
    const typing = target.matches('input:not([type=range]), select, textarea') || document.querySelector('dialog[open]');
    const pressing = e.key === ' ' && target.matches('button, summary');
    const action = keys[e.key] ?? keys[e.key.toLowerCase()];
    if (typing || pressing || !action || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    action(e);
  });

  return make('div', {class: 'transport'},
    make('div', {class: 'row'}, play, icon_button('start', 'To the beginning (Home)', () => clock.seek(clock.first)), scrub, time),
    make('div', {class: 'row'},
      make('div', {class: 'views', role: 'group', 'aria-label': 'Views'},
        ...views.map((v, i) => {
          const button = make('button', {type: 'button', class: 'text', title: `View: ${v} (${i + 1})`}, v);
          button.addEventListener('click', () => view(v));
          return button;
        })),
      make('span', {class: 'spring'}), follow, trace, loop, speed));
}
