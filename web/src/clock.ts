// clock.ts: the one time that the replay, the markers in the plots and the values beside them show.

export class Clock {
  playing = false;
  loop = true;
  speed = 1;
  private time: number;
  private shown_instead: number | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly first: number, readonly last: number) {
    this.time = first;
  }

  // What is shown: where a pointer looks, else where the replay is.
  get now(): number {
    return this.shown_instead ?? this.time;
  }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }

  seek(t: number): void {
    this.time = Math.min(this.last, Math.max(this.first, t));
    this.shown_instead = null;
    this.notify();
  }

  // Look at another time for a while; null: back to where the replay is. Nothing while it plays.
  look(t: number | null): void {
    if (this.playing) t = null;
    if (t === this.shown_instead) return;
    this.shown_instead = t === null ? null : Math.min(this.last, Math.max(this.first, t));
    this.notify();
  }

  play(on: boolean): void {
    if (on && this.time >= this.last) this.time = this.first;
    this.shown_instead = null;
    this.playing = on && this.last > this.first;
    this.notify();
  }

  tick(seconds: number): void {
    if (!this.playing) return;
    let t = this.time + this.speed * seconds;
    if (t > this.last) {
      if (this.loop) t = this.first + ((t - this.first) % (this.last - this.first));
      else {
        t = this.last;
        this.playing = false;
      }
    }
    this.time = t;
    this.notify();
  }
}
