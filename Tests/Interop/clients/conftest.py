import pytest
from kit import sound


@pytest.fixture
def uris(media):
    """Two tracks of a minute, of noise with seed 1 and 2."""
    return [media.add(f"/{seed}.flac", sound.flac(sound.noise(60, seed=seed)), "audio/flac") for seed in (1, 2)]
