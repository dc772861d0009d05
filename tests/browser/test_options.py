"""Goal: a host learns what the rules take before anything is refused, and the form offers nothing that would be.

Method: the home page and lobbies as they are offered there, in three languages, with as many people as it takes.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import opened, sit, tap

pytestmark = pytest.mark.browser


def test_the_form_shows_what_has_a_meaning_in_the_chosen_rules(stack, phone):
    page = phone(stack.urls[0])
    tap(page, "game-yacht")
    tap(page, "new-options")
    bonus, joker = page.get_by_test_id("option-upperBonus"), page.get_by_test_id("option-yahtzeeJoker")
    expect(bonus).to_have_count(0)
    page.get_by_test_id("option-scoring").select_option('"yahtzee"')
    expect(joker).to_have_value('"forced"')
    expect(page.get_by_test_id("option-fourKindScore")).to_have_count(0)
    page.get_by_test_id("option-scoring").select_option('"traditional"')
    expect(joker).to_have_count(0)
    expect(page.get_by_test_id("option-fourKindScore")).to_have_value('"fourOnly"')
    expect(bonus).to_have_value('"none"')
    bonus.select_option("35")
    page.get_by_test_id("option-bigStraightScore").select_option("40")
    expect(page.get_by_test_id("new-options")).to_contain_text("상단 보너스 35점")
    tap(page, "create-room")
    sit(page, "민수")
    expect(page.get_by_test_id("rules-summary")).to_contain_text("빅 스트레이트 점수 40점")
    tap(page, "edit-options")
    page.get_by_test_id("option-scoring").select_option('"yacht51"')
    tap(page, "apply-options")
    expect(page.get_by_test_id("rules-summary")).not_to_contain_text("빅 스트레이트")
    expect(page.get_by_test_id("notice")).to_have_count(0)
    assert page.errors == []


@pytest.mark.parametrize(
    ("locale", "three", "five"),
    [
        ("ko-KR", "팀전: 4, 6, 8명이 해요. 지금은 3명", "개인전: 2–4명이 해요. 지금은 5명"),
        ("en-GB", "for 4, 6, 8 players. 3 are seated", "for 2–4 players. 5 are seated"),
        ("ms-MY", "untuk 4, 6, 8 pemain. Sekarang 3 orang", "untuk 2–4 pemain. Sekarang 5 orang"),
    ],
)
def test_the_lobby_says_how_many_may_play_before_the_start(stack, phone, locale, three, five):
    host = phone(stack.urls[0], locale=locale)
    link = opened(host, "민수", "yut", {"mode": "team"})
    for name in ("지우", "하은"):
        sit(phone(link), name)
    trouble, start = host.get_by_test_id("start-trouble"), host.get_by_test_id("start-game")
    expect(trouble).to_contain_text(three)
    expect(start).to_have_attribute("aria-disabled", "true")
    for name in ("서준", "도윤"):
        sit(phone(link), name)
    tap(host, "edit-options")
    host.get_by_test_id("option-mode").select_option('"individual"')
    expect(host.get_by_test_id("option-ranking")).to_have_value('"first"')
    expect(host.get_by_test_id("option-teamConcede")).to_have_count(0)
    tap(host, "apply-options")
    expect(trouble).to_contain_text(five)
    expect(host.get_by_test_id("seats-count")).to_contain_text("2–4")
    assert host.errors == []
