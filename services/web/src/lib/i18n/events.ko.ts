// What happens in a room, told in Korean: the sentences of the log. Part of the catalogue in ko.ts.
import type { Sentence } from "./sentence";

/** Particle by whether the word ends in a consonant: 은/는, 이/가, 을/를. Other endings get both forms. */
export function josa(word: string, closed: string, open: string): string {
  const last = word.codePointAt(word.length - 1) ?? 0;
  if (last < 0xac00 || last > 0xd7a3) return `${word}${closed}(${open})`;
  return word + ((last - 0xac00) % 28 > 0 ? closed : open);
}

const pieces = (n: number) => (n > 1 ? `말 ${n}개를` : "말을");
type Step = { name: string; result: string; from: number; n: number };
type OnSpot = { name: string; node: number; n: number };

export const koEvents = {
  ev_opened: "방이 열렸어요.",
  ev_seated: ((p) => `${josa(p.name, "이", "가")} 자리에 앉았어요.`) as Sentence<{ name: string }>,
  ev_left: ((p) => `${josa(p.name, "이", "가")} 자리에서 일어났어요.`) as Sentence<{ name: string }>,
  ev_host_changed: ((p) => `이제 ${josa(p.name, "이", "가")} 방장이에요.`) as Sentence<{ name: string }>,
  ev_configured: ((p) => `규칙이 바뀌었어요: ${p.summary}`) as Sentence<{ summary: string }>,
  ev_started: "게임을 시작해요.",
  ev_nonce_opened: ((p) => `${josa(p.name, "이", "가")} 난수를 열었어요.`) as Sentence<{ name: string }>,
  ev_began: "첫 차례가 시작됐어요.",
  ev_began_withheld: ((p) => `첫 차례가 시작됐어요. 난수를 열지 않은 사람: ${p.names}`) as Sentence<{ names: string }>,
  ev_connected: ((p) => `${josa(p.name, "이", "가")} 돌아왔어요.`) as Sentence<{ name: string }>,
  ev_disconnected: ((p) => `${p.name}의 연결이 끊겼어요.`) as Sentence<{ name: string }>,
  ev_timed_out: ((p) => `${p.names}: 시간이 지나 자동으로 진행해요.`) as Sentence<{ names: string }>,
  ev_timed_out_absent: ((p) => `${p.names}: 연결이 없어 자동으로 진행해요.`) as Sentence<{ names: string }>,
  ev_away: ((p) => `${p.names}: 자리 비움`) as Sentence<{ names: string }>,
  ev_back: ((p) => `${josa(p.name, "이", "가")} 다시 직접 해요.`) as Sentence<{ name: string }>,
  ev_game_over: "게임이 끝났어요.",
  ev_revealed: "서버가 비밀값을 공개했어요.",
  ev_auto: ((p) => `${p.text} (자동)`) as Sentence<{ text: string }>,
  ev_dealt: ((p) => `차례 순서: ${p.names}`) as Sentence<{ names: string }>,
  ev_rolled: ((p) => `${josa(p.name, "이", "가")} 굴렸어요: ${p.dice}`) as Sentence<{ name: string; dice: string }>,
  ev_hold_changed: ((p) => `${p.name}: 고정 ${p.held}`) as Sentence<{ name: string; held: string }>,
  ev_scored: ((p) => `${josa(p.name, "이", "가")} ${p.box}에 ${p.points}점을 적었어요.`) as Sentence<{
    name: string;
    box: string;
    points: number;
  }>,
  ev_further: ((p) => `요트 보너스 ${p.points}점도 받았어요.`) as Sentence<{ points: number }>,
  ev_upper_bonus: ((p) => `${josa(p.name, "이", "가")} 상단 보너스 ${p.points}점을 받았어요.`) as Sentence<{
    name: string;
    points: number;
  }>,
  ev_round_changed: ((p) => `${p.round}라운드`) as Sentence<{ round: number }>,
  ev_turn_changed: ((p) => `${p.name} 차례예요.`) as Sentence<{ name: string }>,
  ev_conceded: ((p) => `${josa(p.name, "이", "가")} 기권했어요.`) as Sentence<{ name: string }>,
  ev_thrown: ((p) => `${josa(p.name, "이", "가")} 던졌어요: ${p.result}`) as Sentence<{ name: string; result: string }>,
  ev_nak: ((p) => `${josa(p.name, "이", "가")} 던졌어요: 낙. 결과가 없어요.`) as Sentence<{ name: string }>,
  ev_entered: ((p) => `${josa(p.name, "이", "가")} 새 말을 ${p.to}번 칸에 올렸어요 (${p.result}).`) as Sentence<{
    name: string;
    result: string;
    to: number;
  }>,
  ev_moved: ((p) =>
    `${josa(p.name, "이", "가")} ${p.from}번 칸의 ${pieces(p.n)} ${p.to}번 칸으로 옮겼어요 (${p.result}).`) as Sentence<
    Step & { to: number }
  >,
  ev_moved_out: ((p) =>
    `${josa(p.name, "이", "가")} ${p.from}번 칸의 ${pieces(p.n)} 냈어요 (${p.result}).`) as Sentence<Step>,
  ev_stacked: ((p) => `${josa(p.name, "이", "가")} ${p.node}번 칸에서 업었어요. 모두 ${p.n}개예요.`) as Sentence<OnSpot>,
  ev_captured: ((p) => `${josa(p.name, "이", "가")} ${p.node}번 칸에서 ${p.victim}의 ${pieces(p.n)} 잡았어요!`) as Sentence<
    OnSpot & { victim: string }
  >,
  ev_once_more: "한 번 더 던져요.",
  ev_finished_pieces: ((p) => `${p.name}: 난 말이 모두 ${p.n}개예요.`) as Sentence<{ name: string; n: number }>,
  ev_discarded: ((p) => `${p.throws}: 옮길 말이 없어 버렸어요.`) as Sentence<{ throws: string }>,
  ev_side_finished: ((p) => `${josa(p.name, "이", "가")} 말을 모두 냈어요: ${p.rank}등`) as Sentence<{
    name: string;
    rank: number;
  }>,
  ev_locked: "방장이 새로운 사람을 받지 않기로 했어요.",
  ev_unlocked: "방장이 새로운 사람을 다시 받아요.",
  ev_silenced: ((p) => `방장이 ${p.name}의 말을 막았어요.`) as Sentence<{ name: string }>,
  ev_unsilenced: ((p) => `${josa(p.name, "이", "가")} 다시 말할 수 있어요.`) as Sentence<{ name: string }>,
  ev_kicked: ((p) => `방장이 ${josa(p.name, "을", "를")} 내보냈어요.`) as Sentence<{ name: string }>,
  ev_seat_changed: ((p) => `${p.from}번과 ${p.to}번 자리가 바뀌었어요.`) as Sentence<{ from: number; to: number }>,
  ev_ready: ((p) => `${p.name}: 준비됐어요.`) as Sentence<{ name: string }>,
  ev_not_ready: ((p) => `${p.name}: 아직이에요.`) as Sentence<{ name: string }>,
  ev_countdown: "곧 시작해요.",
  ev_countdown_stopped: "시작을 멈췄어요.",
  ev_promised: ((p) => `${josa(p.name, "이", "가")} 난수를 약속했어요.`) as Sentence<{ name: string }>,
  ev_touched: "아직 있어요.",
  ev_idle_warned: "아무도 없으면 방이 곧 닫혀요.",
  ev_house_away: "서버가 잠시 자리를 비웠어요. 시계를 다시 시작했어요.",
  ev_log_full: "기록이 가득 차서 남은 차례를 모두 자동으로 진행했어요.",
  ev_closed: "방이 닫혔어요.",
  ev_rematch: ((p) => `${p.name}: 한 판 더!`) as Sentence<{ name: string }>,
  ev_rematch_off: ((p) => `${p.name}: 한 판 더 취소.`) as Sentence<{ name: string }>,
  ev_rematch_agreed: "모두 한 판 더 하기로 했어요.",
};
